"""Hermes Workbench: text from a model goes in; a checkable reading, tool results and training rows come out.

The floors, from the street to the cellar; imports go down only, neighbours (on one line) do not see each other:

    __main__ · cli          verbs for the terminal
    wiring                  Settings to Services: the one module that knows every concrete class
    ui | engines | toolbox | store | library | training      the edges, where effects live
    desk                    what the edges share: kept values, ports, Services, the way a turn is played and kept
    suite                   cases with expectations, scores, runs, comparison, reports
    rollout                 one conversation turn as a stream of events, and its ports
    contract | trajectory   what we tell a model | what we hand to a trainer
    hermes                  the wire format: text to Reading, Conversation to Prompt
    toolspec                what a tool promises, and how arguments are held to it
    chat                    the nouns
    settings · errors       the environment as a value · the tree of exceptions
"""

__version__ = "0.1.0"
