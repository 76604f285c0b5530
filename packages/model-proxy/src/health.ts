// How the model proxy goes, for the supervisor and for people. Records that cannot be written degrade it.
import { type Health, stateFiles } from '@gatehouse/contracts'
import type { ProviderTable } from './providers/table.ts'
import type { Recorder } from './records/recorder.ts'

interface HealthOf {
  readonly providers: ProviderTable
  readonly sessions: { readonly size: number }
  readonly recorder: Pick<Recorder, 'isWritable'>
}

export const health = ({ providers, sessions, recorder }: HealthOf): Health => {
  const degraded = recorder.isWritable ? [] : [stateFiles.modelCalls]
  const facts = { providers: [...providers.keys()], sessions: sessions.size }
  return { status: degraded.length === 0 ? 'ready' : 'degraded', degraded, facts }
}
