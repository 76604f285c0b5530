// birpc over newline-delimited JSON, without a check of anything: the baseline. As a program it answers on a unix socket.
import { createServer, type Socket } from 'node:net'
import { createBirpc } from 'birpc'

const newline = 0x0a

export const channel = (socket: Socket) => ({
  post: (data: unknown): void => void socket.write(`${JSON.stringify(data)}\n`),
  on: (take: (data: unknown) => void): void => {
    let rest: Buffer = Buffer.alloc(0)
    socket.on('data', (chunk: Buffer) => {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
      for (let at = rest.indexOf(newline); at !== -1; at = rest.indexOf(newline)) {
        take(JSON.parse(rest.subarray(0, at).toString()))
        rest = rest.subarray(at + 1)
      }
    })
  },
})

const path = process.argv[2]
if (import.meta.main && path !== undefined) {
  createServer((socket) => void createBirpc({ authorize: () => ({ allowed: true, agentGroupID: 'bench' }) }, channel(socket))).listen(
    path,
    () => process.stdout.write('ready\n'),
  )
}
