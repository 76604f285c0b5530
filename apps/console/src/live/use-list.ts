// Long lists, newest first: read page by page, kept fresh at their head; and the list of all agent groups.
import { type AgentGroup, type ServiceError, toServiceError } from '@gatehouse/contracts'
import { useEffect, useState } from 'preact/hooks'
import { useApi } from '../unit/unit.ts'
import { everyPage, type PageOf } from './every-page.ts'
import { type Live, type LiveOptions, useLive } from './use-live.ts'

export interface List<T> extends Live<readonly T[]> {
  /** Undefined at the end. */
  readonly more: (() => void) | undefined
  readonly asking: boolean
}

interface ListSource<T> {
  readonly ask: (cursor: string | undefined, signal: AbortSignal) => Promise<PageOf<T>>
  readonly keyOf: (item: T) => string | number
}

/** Puts a new first page over the pages read before. Where the two do not overlap, only the new page is kept. */
const renewHead = <T>(head: PageOf<T>, before: PageOf<T> | undefined, keyOf: ListSource<T>['keyOf']): PageOf<T> => {
  const last = head.items.at(-1)
  if (before === undefined || last === undefined) return head
  const place = before.items.findIndex((item) => keyOf(item) === keyOf(last))
  return place === -1 ? head : { items: [...head.items, ...before.items.slice(place + 1)], nextCursor: before.nextCursor }
}

export const useList = <T>({ ask, keyOf }: ListSource<T>, options: LiveOptions = {}): List<T> => {
  const head = useLive((signal) => ask(undefined, signal), options)
  const [all, setAll] = useState<PageOf<T>>()
  const [asking, setAsking] = useState(false)
  const [problem, setProblem] = useState<ServiceError>()

  useEffect(() => {
    const { data } = head
    setAll((before) => (data === undefined ? undefined : renewHead(data, before, keyOf)))
  }, [head.data])

  const cursor = all?.nextCursor
  const more = async (): Promise<void> => {
    if (asking) return
    setAsking(true)
    try {
      const page = await ask(cursor, new AbortController().signal)
      setAll((before) =>
        before?.nextCursor === cursor ? { items: [...(before?.items ?? []), ...page.items], nextCursor: page.nextCursor } : before,
      )
      setProblem(undefined)
    } catch (error) {
      setProblem(toServiceError(error))
    }
    setAsking(false)
  }
  return { ...head, data: all?.items, problem: head.problem ?? problem, more: cursor === undefined ? undefined : () => void more(), asking }
}

const applied: readonly string[] = ['apply', 'seed', 'recovered']

/** All agent groups, read again after each applied change. */
export const useGroups = (): Live<readonly AgentGroup[]> => {
  const api = useApi()
  return useLive((signal) => everyPage((page) => api.groups.list(page, { signal })), { wants: ({ stage }) => applied.includes(stage) })
}
