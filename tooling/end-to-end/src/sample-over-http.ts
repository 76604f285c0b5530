// The sample tool server as a remote one: its own process on a loopback port.
import { join } from 'node:path'
import { execa } from 'execa'
import { freePort, release } from './unit.ts'
import { waitFor } from './wait-for.ts'

export const startSample = async () => {
  const port = await freePort()
  const child = execa(process.execPath, [join(release, 'mcp-sample.mjs'), '--http', `:${port}`], { stdio: 'ignore', reject: false })
  await waitFor('the sample server', 60_000, async () => (await fetch(`http://127.0.0.1:${port}/mcp`)).status > 0)
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    stop: async () => {
      child.kill('SIGTERM')
      await child
    },
  }
}
