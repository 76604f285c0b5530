// The page before all others: asks for the bearer token when the unit wants one.
import { Mark } from '../parts/mark.tsx'
import { TokenForm, type TokenFormProps } from './token-form.tsx'

export const SignIn = (props: TokenFormProps) => (
  <main class="sign-in">
    <p class="brand">
      <Mark /> Gatehouse
    </p>
    <h1>Sign in</h1>
    <p class="soft">What agents may do on this unit is decided on the pages behind this one.</p>
    <TokenForm {...props} />
    <p class="hint">
      The admin's token was printed once at the first start, and stands in the file <code>admin-token</code> of the state directory. Tokens
      for other people are made in Settings.
    </p>
  </main>
)
