// How long an engine takes by itself from its start to the agent's first request.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { type Figures, oneByOne } from '../measure.ts'
import type { Engine } from './engines.ts'

const patience = 30_000

const serve = async (directory: string): Promise<Server> => {
  await mkdir(join(directory, 'session'))
  const path = join(directory, 'session/session.sock')
  // Nobody is answered: an agent waits until it is ended.
  const server = createServer(() => undefined).listen(path)
  await once(server, 'listening')
  for (const each of [directory, join(directory, 'session')]) await chmod(each, 0o755)
  await chmod(path, 0o666)
  return server
}

export const ownStart = async (engine: Engine, rounds: number): Promise<Figures> => {
  const directory = await mkdtemp(join(tmpdir(), 'gatehouse-bench-'))
  const server = await serve(directory)
  const endings: (() => Promise<unknown>)[] = []
  try {
    const act = async (): Promise<void> => {
      const place = { directory, id: `bench-${randomBytes(4).toString('hex')}` }
      const [file = engine.name, ...args] = await engine.start(place)
      const asked = once(server, 'request', { signal: AbortSignal.timeout(patience) })
      const child = execa(file, args, { stdin: 'ignore', stdout: 'ignore', reject: false, cwd: '/' })
      endings.push(async () => {
        await engine.end(place)
        child.kill('SIGKILL')
        await child
      })
      await Promise.race([
        asked,
        child.then(({ stderr }) => {
          throw new Error(`${engine.name} ended before the agent asked: ${stderr}`)
        }),
      ])
    }
    // Ended outside of what is timed, but before the next one.
    const times: number[] = []
    for (let round = 0; round <= rounds; round += 1) {
      const since = performance.now()
      await act()
      // The first warms the page cache.
      if (round > 0) times.push(performance.now() - since)
      await endings.pop()?.()
    }
    return oneByOne(times)
  } finally {
    for (const end of endings) await end()
    server.closeAllConnections()
    server.close()
    await rm(directory, { recursive: true, force: true })
  }
}
