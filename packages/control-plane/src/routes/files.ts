// Routes of files of a group: list, upload, download and remove. The gateway authorizes, the runner reads and writes.
import { AgentGroupID, FileList, FilePath, FilePlace, FolderPath, limits, NewFilePath, PutFile } from '@gatehouse/contracts'
import { Hono } from 'hono'
import * as v from 'valibot'
import type { Env } from '../env.ts'
import { bytes, bytesBody, guarded, json } from '../openapi/operation.ts'
import { fetchFile, putFile, removeFile } from './file-transfer.ts'
import { PageQuery } from './query.ts'
import { existing, newName, query } from './validate.ts'

const tag = 'agents'
const place = { place: v.optional(FilePlace, 'workspace') }
const PlaceQuery = v.strictObject(place)
const ListQuery = v.strictObject({ ...PageQuery.entries, ...place, path: v.optional(FolderPath, '') })

const list = guarded({
  summary: "List a directory of a group's files",
  tag,
  answers: { 200: json('A page', FileList) },
  problems: ['invalid', 'not-found', 'conflict'],
})

const read = guarded({
  summary: `Fetch a file of a group, at most ${limits.file / 1024 / 1024} MiB; links, pipes and files with two names are refused`,
  tag,
  answers: { 200: bytes('The file'), 206: bytes('The requested range') },
  problems: ['invalid', 'not-found', 'conflict', 'too-large'],
  reads: [{ name: 'Range', description: 'One byte range; other forms are ignored' }],
})

const put = guarded({
  summary: 'Write a file of a group, all or nothing; missing directories are created',
  tag,
  answers: { 200: json('Written, and journaled', PutFile) },
  problems: ['unsupported-media-type', 'invalid', 'not-found', 'conflict', 'queue-full', 'no-sandbox', 'audit-unwritable'],
})

const remove = guarded({
  summary: 'Remove one name of a group: a file, an empty directory, or a link, pipe, socket or device itself',
  tag,
  answers: { 204: { description: 'Removed, and journaled' } },
  problems: ['invalid', 'not-found', 'conflict', 'audit-unwritable'],
})

export const fileRoutes = new Hono<Env>()
  .get('/v1/agent-groups/:id/files', list, existing(v.object({ id: AgentGroupID })), query(ListQuery), async (c) => {
    const { unit, token, call } = c.var
    const agentGroupID = c.req.valid('param').id
    await unit.peers.gateway.permit({ token, route: 'files', agentGroupID }, call)
    const { cursor: after, ...wanted } = c.req.valid('query')
    return c.json(await unit.peers.runner.fileList({ agentGroupID, ...wanted, after }, call))
  })
  .get(
    '/v1/agent-groups/:id/files/:path{[\\s\\S]+}',
    read,
    existing(v.object({ id: AgentGroupID, path: FilePath })),
    query(PlaceQuery),
    async (c) => {
      const { unit, token, call } = c.var
      const { id: agentGroupID, path } = c.req.valid('param')
      await unit.peers.gateway.permit({ token, route: 'files', agentGroupID }, call)
      return await fetchFile(c, { agentGroupID, path, ...c.req.valid('query') })
    },
  )
  .put(
    '/v1/agent-groups/:id/files/:path{[\\s\\S]+}',
    put,
    bytesBody,
    existing(v.object({ id: AgentGroupID })),
    newName(v.object({ id: AgentGroupID, path: NewFilePath })),
    query(PlaceQuery),
    async (c) => {
      const { id: agentGroupID, path } = c.req.valid('param')
      return c.json(await putFile(c, { agentGroupID, path, ...c.req.valid('query') }))
    },
  )
  .delete(
    '/v1/agent-groups/:id/files/:path{[\\s\\S]+}',
    remove,
    existing(v.object({ id: AgentGroupID, path: FilePath })),
    query(PlaceQuery),
    async (c) => {
      const { id: agentGroupID, path } = c.req.valid('param')
      await removeFile(c, { agentGroupID, path, ...c.req.valid('query') })
      return c.body(null, 204)
    },
  )
