"""Engines that continue a text: local through llama.cpp, remote, recorded, or scripted."""
