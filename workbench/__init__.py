"""Parse, run, store and export tool calls in the Hermes format.

The layers, from top to bottom. Imports go down only; layers on one line do not import each other.

    __main__ · cli          commands for the terminal
    wiring                  builds Services from Settings; the only module that knows every concrete class
    ui | gateway            the page | the server of the OpenAI protocol
    app                     the work that the page, the commands and the API share
    engines | toolbox | library | training      models | tools | files and the hub | training
    store                   the database
    records                 what is stored, as plain values
    suite                   cases with expectations, scores, runs, comparison, reports
    rollout                 one conversation turn as a stream of events, and its ports
    contract | trajectory   system prompts | training rows
    hermes                  the wire format: text to Reading, Conversation to Prompt
    toolspec                tool specs, and checks of arguments against them
    chat                    messages, calls, findings, spans
    settings · errors       the environment as a value · all exceptions
"""

__version__ = "0.1.0"
