// What was said in a group: the latest at once, what comes as it comes, what came before when it is asked for.
import type { ChatMessage } from '@gatehouse/contracts'
import { useRef, useState } from 'preact/hooks'
import { type Live, useLive } from '../../live/use-live.ts'
import { useApi } from '../../unit/unit.ts'

const page = 200
const every = 1_000

export interface Messages extends Live<readonly ChatMessage[]> {
  /** `before` is called right before they are there. Undefined where there is nothing before. */
  readonly earlier: ((before: () => void) => Promise<void>) | undefined
}

/** To be mounted anew for another group or conversation. */
export const useMessages = (group: string, conversation: string | undefined): Messages => {
  const api = useApi()
  const kept = useRef<readonly ChatMessage[]>([])
  /** What is below it has not been looked at. */
  const floor = useRef(Infinity)
  const [, turn] = useState(0)
  const ask = async (signal: AbortSignal): Promise<readonly ChatMessage[]> => {
    for (;;) {
      const after = kept.current.at(-1)?.seq
      const { messages } = await api.chat.messages(group, { after, limit: page, conversation }, { signal })
      if (messages.length > 0) kept.current = [...kept.current, ...messages]
      if (after === undefined || messages.length < page) return kept.current
    }
  }
  const live = useLive(ask, { of: [group, conversation], every })
  /** Numbers are those of the group, and some are gone: where one page has nothing of the conversation, the one before it may. */
  const earlier = async (before: () => void): Promise<void> => {
    const found: ChatMessage[] = []
    while (found.length === 0 && floor.current > 1) {
      const first = floor.current
      const from = Math.max(first - page - 1, 0)
      // Long ones come in several answers.
      for (let after = from; after < first - 1;) {
        const { messages } = await api.chat.messages(group, { after, limit: page, conversation })
        found.push(...messages.filter(({ seq }) => seq < first))
        after = messages.at(-1)?.seq ?? first
      }
      floor.current = from + 1
    }
    before()
    kept.current = [...found, ...kept.current]
    turn((value) => value + 1)
  }
  floor.current = Math.min(floor.current, kept.current[0]?.seq ?? Infinity)
  return { ...live, data: live.data && kept.current, earlier: floor.current > 1 ? earlier : undefined }
}
