// Fields that belong to the work at hand, such as its request id: every log line written during it carries them.
import { AsyncLocalStorage } from 'node:async_hooks'

export interface WorkContext {
  readonly requestId: string
  readonly traceparent?: string | undefined
}

const storage = new AsyncLocalStorage<WorkContext>()

export const runInContext = <T>(context: WorkContext, act: () => T): T => storage.run(context, act)

/** Nothing outside a piece of work. */
export const workContext = (): WorkContext | undefined => storage.getStore()
