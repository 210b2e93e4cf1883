@rem C:\scoop\apps\yarn\yarn.cmd
@"C:\scoop\apps\yarn\yarn.cmd" %*
