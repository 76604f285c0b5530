// What a unit shows of a channel whose credentials are revoked while it runs.
import { readFile } from 'node:fs/promises'
import { request } from '../http.ts'
import type { Unit } from '../unit.ts'
import { waitFor } from '../wait-for.ts'

interface RevocableService {
  readonly state: { isRevoked: boolean }
  cut(): void
}

/** Environment and command line of each process that can see a channel. */
export const readProcesses = (unit: Unit): Promise<string[]> =>
  Promise.all(
    ['gateway', 'runner', 'control-plane', 'channels'].map(async (name) => {
      const pid = await unit.pidOf(name)
      return `${await readFile(`/proc/${pid}/environ`, 'utf8')}${await readFile(`/proc/${pid}/cmdline`, 'utf8')}`
    }),
  )

/** Revokes the credentials at the service. Resolves to the status of the channel once it says so. */
export const revokeCredentials = (unit: Unit, server: RevocableService, patience: number) => {
  server.state.isRevoked = true
  server.cut()
  return waitFor('the status to say so', patience, async () => {
    const [channel] = (await unit.client.channels.list()).items
    return channel?.state === 'refused' ? channel : undefined
  })
}

/** Everything that the admin API shows of channels, and the log. */
export const readEverything = async (unit: Unit): Promise<string[]> => {
  const answers = await Promise.all(['/v1/channels', '/v1/status', '/metrics', '/v1/audit'].map((path) => request(unit.address + path)))
  return [...unit.lines, ...answers.map(({ text }) => text)]
}
