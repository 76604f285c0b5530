// Channels: how each fares, what could not be delivered, and whether a service takes the credentials.
import { Channel, ChannelCheck, ChannelList, ServiceError } from '@gatehouse/contracts'
import { Hono } from 'hono'
import * as v from 'valibot'
import type { Env } from '../env.ts'
import { sees } from '../guards/scope.ts'
import { guarded, json } from '../openapi/operation.ts'
import { existing } from './validate.ts'

const tag = 'channels'

export const channelRoutes = new Hono<Env>()
  .get(
    '/v1/channels',
    guarded({
      summary: 'Channels that the unit has credentials for, and messages that could not be delivered',
      tag,
      answers: { 200: json('All', ChannelList) },
    }),
    async (c) => {
      const { unit, token, call } = c.var
      const principal = await unit.peers.gateway.permit({ token, route: 'channels' }, call)
      const { items, letters } = (await unit.peers.channels?.channels({}, call)) ?? { items: [], letters: [] }
      return c.json({ items, letters: letters.filter(({ agentGroupID }) => sees(principal, agentGroupID)) })
    },
  )
  .post(
    '/v1/channels/:channel/check',
    guarded({
      summary: 'Ask the service of a channel whether it takes the credentials; people are sent nothing',
      tag,
      answers: { 200: json('What came of it', ChannelCheck) },
      problems: ['not-found'],
    }),
    existing(v.object({ channel: Channel })),
    async (c) => {
      const { unit, token, call } = c.var
      await unit.peers.gateway.permit({ token, route: 'probe' }, call)
      if (unit.peers.channels === null)
        throw new ServiceError('not-found', {
          detail: 'this unit has no credentials for a channel',
          hint: 'start it with them, such as WEBHOOK_SIGNING_SECRET',
        })
      return c.json(await unit.peers.channels.check(c.req.valid('param'), call))
    },
  )
