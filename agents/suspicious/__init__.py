"""Agents for Suspicious."""
