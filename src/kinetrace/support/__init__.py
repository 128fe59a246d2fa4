"""Tools of every package that know nothing of robots: conversion of arguments, signatures, immutable objects."""
