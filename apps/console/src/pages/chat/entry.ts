// One thing that happened in a conversation.
import type { CallRecord, Change, ChatMessage } from '@gatehouse/contracts'

export type Entry =
  | { readonly type: 'message'; readonly at: string; readonly message: ChatMessage }
  | { readonly type: 'call'; readonly at: string; readonly call: CallRecord }
  | { readonly type: 'change'; readonly at: string; readonly change: Change }

export const keyOfEntry = (entry: Entry): string => {
  if (entry.type === 'message') return `m${entry.message.seq}`
  return entry.type === 'call' ? `c${entry.call.id}` : entry.change.id
}
