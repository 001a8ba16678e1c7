"""Agents that play the games of kgb_env."""

from agents.agent import Agent, AgentError, agent_names, make_agent

__all__ = ["Agent", "AgentError", "agent_names", "make_agent"]
