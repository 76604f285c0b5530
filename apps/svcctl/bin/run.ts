#!/usr/bin/env node
// The program `svcctl`. Compiled code is kept in the user's own cache, never in a directory that others may write.
import { enableCompileCache } from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'

enableCompileCache(join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'svcctl', 'compiled'))
const { main } = await import('../src/main.ts')
process.exitCode = await main(process.argv.slice(2), process.env, import.meta.dirname)
