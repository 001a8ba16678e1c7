"""Agents that play the games of kgb_env."""

from agents.agent import Agent, AgentError, is_reproducible, notes_of
from agents.names import agent_names, make_agent, parse_agent

__all__ = ["Agent", "AgentError", "agent_names", "is_reproducible", "make_agent", "notes_of", "parse_agent"]
