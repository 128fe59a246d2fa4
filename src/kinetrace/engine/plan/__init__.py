"""The plan of a program for any target: its items, their order, blocks and slots, and memory."""
