"""Scripted agents for The Double Agent."""
