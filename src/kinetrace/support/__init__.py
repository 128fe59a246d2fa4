"""What every package uses and what knows nothing of robots: conversion of arguments, signatures, immutable objects."""
