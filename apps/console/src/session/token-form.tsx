// The token, asked for: on the page of its own, and over a page whose token was refused in mid-work.
import { type ServiceError, toServiceError } from '@gatehouse/contracts'
import { useState } from 'preact/hooks'
import { ProblemNote } from '../parts/problem-note.tsx'

export interface TokenFormProps {
  readonly enter: (token: string, keep: boolean) => Promise<void>
  /** Why it is asked for. */
  readonly problem?: ServiceError | undefined
}

export const TokenForm = ({ enter, problem }: TokenFormProps) => {
  const [token, setToken] = useState('')
  const [keep, setKeep] = useState(false)
  const [busy, setBusy] = useState(false)
  const [failed, setFailed] = useState<ServiceError>()
  const shown = failed ?? problem

  const submit = async (): Promise<void> => {
    setBusy(true)
    try {
      await enter(token.trim(), keep)
      setFailed(undefined)
    } catch (error) {
      setFailed(toServiceError(error))
    }
    setBusy(false)
  }
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      <label class="field" for="token">
        Admin token
        <input
          id="token"
          type="password"
          autocomplete="off"
          spellcheck={false}
          required
          value={token}
          onInput={(event) => setToken(event.currentTarget.value)}
        />
      </label>
      <label class="choice">
        <input type="checkbox" checked={keep} onChange={(event) => setKeep(event.currentTarget.checked)} /> Keep it until this tab closes
      </label>
      <button type="submit" disabled={busy}>
        {busy ? 'Signing in …' : 'Sign in'}
      </button>
      {shown !== undefined && <ProblemNote problem={shown} />}
    </form>
  )
}
