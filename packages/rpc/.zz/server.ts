process.on('SIGINT', () => process.exit(0))
import { createServer } from 'node:net'
import { createBirpc } from 'birpc'
import { serveEdge } from '../src/index.ts'
import { edge, bare } from './edge.ts'
const dir = process.argv[2]!
await serveEdge(edge, { path: dir + '/ours.sock', secret: 's', handlers: { authorize: ({ session, server, tool }) => ({ allowed: true as const, agentGroupID: 'g' }) } })
createServer((socket) => bare(socket, { authorize: () => ({ allowed: true, agentGroupID: 'g' }) })).listen(dir + '/bare.sock', () => console.log('ok'))
