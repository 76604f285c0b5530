// Asks for the bearer token: on a page of its own, and over the page when the unit no longer accepts the token.
import { type ServiceError, toServiceError } from '@gatehouse/contracts'
import { useState } from 'preact/hooks'
import { Dialog } from '../components/dialog.tsx'
import { Mark } from '../components/elements.tsx'
import { ProblemNote } from '../components/problem-note.tsx'

interface TokenFormProps {
  readonly enter: (token: string, keep: boolean) => Promise<void>
  /** Why the token is requested. */
  readonly problem?: ServiceError | undefined
}

const TokenForm = ({ enter, problem }: TokenFormProps) => {
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
        <input type="checkbox" checked={keep} onChange={(event) => setKeep(event.currentTarget.checked)} /> Remember for this tab
      </label>
      <button type="submit" disabled={busy}>
        {busy ? 'Signing in …' : 'Sign in'}
      </button>
      {shown !== undefined && <ProblemNote problem={shown} hideHint={shown.code === 'unauthorized'} />}
    </form>
  )
}

export const SignIn = (props: TokenFormProps) => (
  <main class="sign-in">
    <p class="brand">
      <Mark /> Gatehouse
    </p>
    <h1>Sign in</h1>
    <p class="soft">Review and approve what your agents may do.</p>
    <TokenForm {...props} />
    <p class="hint">
      The admin token was printed once at the first start. It is in the file <code>admin-token</code> of the state directory. Tokens for
      other people are created in Settings.
    </p>
  </main>
)

interface SignInAgainProps {
  readonly enter: (token: string, keep: boolean) => Promise<void>
  readonly leave: () => void
}

/** A dialog over the page. What was typed below is kept. */
export const SignInAgain = ({ enter, leave }: SignInAgainProps) => (
  <Dialog title="Sign in again" stays>
    <p>The unit no longer accepts your token: it expired or was revoked. Nothing that you typed on this page is lost.</p>
    <TokenForm enter={enter} />
    <p>
      <button type="button" class="link" onClick={leave}>
        Sign out and leave the page
      </button>
    </p>
  </Dialog>
)
