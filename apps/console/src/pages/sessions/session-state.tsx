// How a session fares, in a word and a colour.
import type { SessionStatus } from '@gatehouse/contracts'

const colours: Readonly<Record<SessionStatus['state'], string>> = {
  idle: '',
  launching: 'info',
  live: 'good',
  backoff: 'warn',
  parked: 'bad',
  stopping: 'warn',
}

export const SessionState = ({ session }: { readonly session: SessionStatus }) => (
  <span class={`tag ${colours[session.state]}`}>{session.state}</span>
)
