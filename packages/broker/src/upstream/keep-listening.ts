// Keeps open the stream on which a server of the stateless revision says that its tools have changed.
import { setTimeout as pause } from 'node:timers/promises'
import { limits } from '@gatehouse/contracts'
import { backoff } from '@gatehouse/kernel'
import type { Client } from '@modelcontextprotocol/client'

/** Ends with the connection. What changed while no stream was open is asked for when one is open again. */
export const keepListening = async (client: Client, gone: Promise<unknown>, onToolsChanged: () => void): Promise<void> => {
  const pauses = backoff({ first: limits.upstreamRetryFirst, most: limits.upstreamRetryMost })
  const ended = new AbortController()
  let isFirst = true
  void gone.then(() => ended.abort())
  const listenOnce = async (): Promise<void> => {
    const stream = await client.listen({ toolsListChanged: true }, { timeout: limits.connectTime })
    if (!isFirst) onToolsChanged()
    isFirst = false
    const since = performance.now()
    await Promise.race([stream.closed, gone])
    if (performance.now() - since >= limits.upstreamSustained) pauses.reset()
  }
  while (!ended.signal.aborted) {
    await listenOnce().catch(() => undefined)
    await Promise.race([pause(pauses.next(), undefined, { ref: false }), gone])
  }
}
