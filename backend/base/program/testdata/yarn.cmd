@echo off
node "%~dp0\yarn.js" %*
