// An agent whose disk is full goes on, and forgets what it meant to keep: whoever talks to it is told, once for each sandbox.
import { MessageID } from '@gatehouse/contracts'
import * as v from 'valibot'
import { describeFull } from '../groups/full.ts'
import type { Context } from './context.ts'
import { countLimit } from './limit-reached.ts'
import type { Run } from './run.ts'
import { say } from './say.ts'
import type { Session } from './session.ts'

export const tellFull = async (context: Context, session: Session, run: Run): Promise<void> => {
  const full = await describeFull(run.disk)
  if (full === undefined) return
  countLimit(context, run, 'workspaceMiB')
  const text = `The agent can write nothing more: ${full}. It goes on when files are deleted, or with a larger limit workspaceMiB.`
  await say(context, session, { id: v.parse(MessageID, `s-${run.id}-full`), from: 'system', text })
}
