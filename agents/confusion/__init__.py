"""Scripted agents for Confusion."""
