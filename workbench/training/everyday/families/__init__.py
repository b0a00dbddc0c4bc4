"""Families of everyday tools, for rows that `workbench synth --generator everyday` makes: data without code.

A wheel of its own has this folder, as the package `hermes_workbench_training_data`.
"""
