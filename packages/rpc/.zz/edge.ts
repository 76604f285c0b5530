import * as v from 'valibot'
import type { Socket } from 'node:net'
import { createBirpc } from 'birpc'
import { call, defineEdge } from '@gatehouse/contracts'
export const edge = defineEdge({ server: 'gateway', caller: 'broker', events: {}, calls: { authorize: call(v.strictObject({ session: v.pipe(v.string(), v.regex(/^ses_[a-z2-7]{13}$/)), server: v.string(), tool: v.string() }), v.variant('allowed', [v.strictObject({ allowed: v.literal(true), agentGroupID: v.string() }), v.strictObject({ allowed: v.literal(false), code: v.string() })]), { patient: true }) } })
export const bare = (socket: Socket, functions: object) => {
  let rest = ''
  return createBirpc<any, any>(functions, { post: (d) => socket.write(d + '\n'), on: (fn) => { socket.setEncoding('utf8'); socket.on('data', (c) => { const lines = (rest + c).split('\n'); rest = lines.pop()!; for (const l of lines) fn(l) }) }, serialize: JSON.stringify, deserialize: JSON.parse })
}
