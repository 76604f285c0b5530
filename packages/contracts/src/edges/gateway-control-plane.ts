// The only door through which people decide. Who asks is the digest of the presented token, never a name.
import * as v from 'valibot'
import { Digest } from '../ids.ts'
import { changeCalls } from './control-plane-calls/changes.ts'
import { journalCalls, News } from './control-plane-calls/journal.ts'
import { peopleCalls } from './control-plane-calls/people.ts'
import { registryCalls } from './control-plane-calls/registry.ts'
import { defineEdge } from './edge.ts'

export const gatewayControlPlane = defineEdge({
  server: 'gateway',
  caller: 'control-plane',
  calls: { ...peopleCalls, ...changeCalls, ...registryCalls, ...journalCalls },
  events: {
    /** Lines that were written just now, in their order. */
    news: v.strictObject({ items: v.array(News) }),
    /** What is open on this token ends. */
    'token-revoked': v.strictObject({ token: Digest }),
  },
})
