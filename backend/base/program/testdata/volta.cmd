@echo off
volta run %~n0 %*
