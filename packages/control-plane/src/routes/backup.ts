// Route of backups: one encrypted stream, authorized and journaled by the gateway and created by the supervisor.
import { BackupOrder, limits } from '@gatehouse/contracts'
import { type Context, Hono } from 'hono'
import type { Env } from '../env.ts'
import { jsonBody } from '../guards/body.ts'
import { guarded } from '../openapi/operation.ts'
import { mayLast } from '../server/connections.ts'
import { body } from './validate.ts'

const type = 'application/octet-stream'

/** Fetches each piece when the client has read the previous one. A failure truncates the response, which the archive format detects. */
const streamOf = ({ unit, call }: Env['Variables'], id: string): ReadableStream<Uint8Array> => {
  const { supervisor } = unit.peers
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { bytes } = await supervisor.readBackup({ id }, call)
      if (bytes !== null) return controller.enqueue(Buffer.from(bytes, 'base64'))
      await supervisor.endBackup({ id }, call)
      controller.close()
    },
    cancel: async () => void (await supervisor.endBackup({ id }, call)),
  })
}

const take = async (c: Context<Env>, order: BackupOrder): Promise<Response> => {
  const { unit, token, call } = c.var
  await unit.peers.gateway.permit({ token, route: 'backup' }, call)
  const { id, name } = await unit.peers.supervisor.backup(order, call)
  mayLast(c.env)
  return c.body(streamOf(c.var, id), 200, {
    'Content-Type': type,
    'Content-Disposition': `attachment; filename="${name}"`,
    'Cache-Control': 'no-store',
  })
}

export const backupRoutes = new Hono<Env>().post(
  '/v1/backup',
  guarded({
    summary: 'Take a backup of the whole unit, encrypted with age',
    tag: 'unit',
    answers: { 200: { description: 'An age stream', content: { [type]: { schema: { type: 'string', format: 'binary' } } } } },
    problems: ['unsupported-media-type', 'invalid', 'conflict', 'audit-unwritable'],
  }),
  jsonBody(limits.decisionBody),
  body(BackupOrder),
  (c) => take(c, c.req.valid('json')),
)
