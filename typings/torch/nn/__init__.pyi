class Module:
    training: bool
