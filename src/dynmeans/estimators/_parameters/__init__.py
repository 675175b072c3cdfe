"""Parameters of the estimators: conversion to costs, estimation, and rules between them."""
