// A short-lived connection of its own that lists and ends: what an operator asks for, and nothing that sessions share is touched. A server
// that keeps files is asked on the connection that stands: it may not run twice.
import { limits, type ProbeResult, ServiceError } from '@gatehouse/contracts'
import { classify } from './classify.ts'
import { connect } from './connection.ts'
import { UpstreamError, UpstreamFailure } from './failure.ts'
import { listTools } from './listing.ts'
import type { ConnectSettings } from './make-transport.ts'
import type { NamedEntry } from './named-entry.ts'

const failureOf = (error: unknown, signal: AbortSignal): UpstreamFailure => {
  if (signal.aborted) return new UpstreamFailure('silent', `the server did not answer within ${limits.probeTime / 1000} s`)
  return error instanceof UpstreamError ? new UpstreamFailure('protocol') : classify(error)
}

type Found = Omit<ProbeResult, 'elapsedMs'>

const list = async (entry: NamedEntry, settings: ConnectSettings, signal: AbortSignal): Promise<Found> => {
  const connection = await connect(entry, settings, { signal })
  try {
    const { tools } = await listTools(connection, signal)
    return { tools: [...tools], server: connection.server, ...(connection.image !== undefined && { image: connection.image }) }
  } finally {
    await connection.close()
  }
}

/** `standing` asks on a connection that stands, if there is one. `upstream-failed` names the class of the failure in our words. */
export const probe = async (
  entry: NamedEntry,
  settings: ConnectSettings,
  standing: (signal: AbortSignal) => Promise<Found | undefined> = async () => undefined,
): Promise<ProbeResult> => {
  const started = performance.now()
  const signal = AbortSignal.timeout(limits.probeTime)
  try {
    const found = (await standing(signal)) ?? (await list(entry, settings, signal))
    return { ...found, elapsedMs: Math.round(performance.now() - started) }
  } catch (error) {
    throw new ServiceError('upstream-failed', { detail: failureOf(error, signal).message, cause: error })
  }
}
