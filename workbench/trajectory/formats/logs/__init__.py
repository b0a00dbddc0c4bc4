"""Sessions of agents: logs of Claude Code and Codex, exports of hermes-agent, and session traces of the Hub."""
