// A long list, newest first, read page by page and kept fresh at its head.
import { type ServiceError, toServiceError } from '@gatehouse/contracts'
import { useEffect, useState } from 'preact/hooks'
import type { PageOf } from './every-page.ts'
import { type Live, type LiveOptions, useLive } from './use-live.ts'

export interface List<T> extends Live<readonly T[]> {
  /** Undefined at the end. */
  readonly more: (() => void) | undefined
  readonly asking: boolean
}

interface Asked<T> {
  readonly ask: (cursor: string | undefined, signal: AbortSignal) => Promise<PageOf<T>>
  readonly keyOf: (item: T) => string | number
}

/** A new head over what was read before; alone where nothing of both is the same. */
const renewHead = <T>(head: PageOf<T>, before: PageOf<T> | undefined, keyOf: Asked<T>['keyOf']): PageOf<T> => {
  const last = head.items.at(-1)
  if (before === undefined || last === undefined) return head
  const place = before.items.findIndex((item) => keyOf(item) === keyOf(last))
  return place === -1 ? head : { items: [...head.items, ...before.items.slice(place + 1)], nextCursor: before.nextCursor }
}

export const useList = <T>({ ask, keyOf }: Asked<T>, options: LiveOptions = {}): List<T> => {
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
