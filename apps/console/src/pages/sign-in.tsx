// Asks for the bearer token when the unit wants one.
import type { ServiceError } from '@gatehouse/contracts'
import { useState } from 'preact/hooks'
import { ProblemNote } from '../parts/problem-note.tsx'

interface SignInProps {
  readonly problem: ServiceError | undefined
  readonly enter: (token: string, keep: boolean) => Promise<void>
}

export const SignIn = ({ problem, enter }: SignInProps) => {
  const [token, setToken] = useState('')
  const [keep, setKeep] = useState(false)
  return (
    <main class="sign-in">
      <h1>Gatehouse</h1>
      <p>People run agents here. What an agent may do is decided on these pages.</p>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void enter(token.trim(), keep)
        }}
      >
        <label for="token">Admin token</label>
        <input
          id="token"
          type="password"
          autocomplete="off"
          required
          value={token}
          onInput={(event) => setToken(event.currentTarget.value)}
        />
        <label class="choice">
          <input type="checkbox" checked={keep} onChange={(event) => setKeep(event.currentTarget.checked)} /> Keep it until this tab closes
        </label>
        <button type="submit">Sign in</button>
      </form>
      <p class="hint">The token was printed once at the first start, and stands in the file admin-token of the state directory.</p>
      {problem !== undefined && <ProblemNote problem={problem} />}
    </main>
  )
}
