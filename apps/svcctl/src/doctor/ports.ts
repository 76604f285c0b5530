// Whether a unit that is down could take its address.
import { createServer } from 'node:net'
import { isServiceError } from '@gatehouse/contracts'
import { type Check, fail, pass } from './check.ts'

const isFree = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(true)))
  })

export const ports: Check = {
  name: 'ports',
  run: async ({ unit, address }) => {
    const found = unit
    if (found.reached || (isServiceError(found.error) && found.error.code === 'unauthorized')) return [pass('the unit has its own')]
    const url = URL.parse(address)
    if (url === null || !/^(127\.|localhost$|\[::1\]$)/.test(url.hostname)) return [pass('not needed: the unit is on another host')]
    const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80))
    if (await isFree(url.hostname.replaceAll(/[[\]]/g, ''), port)) return [pass(`${port} is free for a unit`)]
    return [fail(`${port} is taken by something that is no unit`, { advice: `ss -ltnp 'sport = :${port}' says by what` })]
  },
}
