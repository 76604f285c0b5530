// Over the page, when its token is no longer taken: what was typed below stays where it is.
import { Dialog } from '../parts/dialog.tsx'
import { TokenForm } from './token-form.tsx'

interface SignInAgainProps {
  readonly enter: (token: string, keep: boolean) => Promise<void>
  readonly leave: () => void
}

export const SignInAgain = ({ enter, leave }: SignInAgainProps) => (
  <Dialog title="Sign in again" stays>
    <p>The unit no longer takes your token: it has expired or was revoked. Nothing that you typed on this page is lost.</p>
    <TokenForm enter={enter} />
    <p>
      <button type="button" class="link" onClick={leave}>
        Sign out and leave the page
      </button>
    </p>
  </Dialog>
)
