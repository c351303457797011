// Loaded first in a process that another Node has started in its own place: when that one is killed, nobody else would tell us.

process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
// To listen must not keep a command alive that is done.
process.channel.unref()
