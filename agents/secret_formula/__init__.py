"""Scripted agents for The Secret Formula."""
