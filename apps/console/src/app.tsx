// Decides between signing in and the pages, and asks for another token over the page when its own is refused.
import { type ServiceError, toServiceError } from '@gatehouse/contracts'
import { useCallback, useEffect, useState } from 'preact/hooks'
import { ProblemNote } from './components/problem-note.tsx'
import type { Session } from './session/session.ts'
import { SignIn, SignInAgain } from './session/sign-in.tsx'
import { Shell } from './shell/shell.tsx'
import { createStream, type Stream } from './unit/stream.ts'

/** `refused`: the pages stay below the question for another token. */
type Stage = { readonly name: 'asking' } | { readonly name: 'out' } | { readonly name: 'in' | 'refused'; readonly stream: Stream }

const useSession = (session: Session) => {
  const [stage, setStage] = useState<Stage>({ name: 'asking' })
  const [problem, setProblem] = useState<ServiceError>()

  const enter = useCallback(
    async (token: string | null, keep: boolean): Promise<void> => {
      await session.enter(token, keep)
      setProblem(undefined)
      setStage((before) => {
        if (!('stream' in before)) return { name: 'in', stream: createStream(session.api) }
        before.stream.restart()
        return { name: 'in', stream: before.stream }
      })
    },
    [session],
  )
  useEffect(() => {
    let again: ReturnType<typeof setTimeout>
    const ask = (): void => {
      enter(session.kept(), false).catch((error: unknown) => {
        const failure = toServiceError(error)
        const isRefused = failure.code === 'unauthorized'
        // Without a token a refusal says nothing but that one is needed.
        setProblem(session.kept() !== null || !isRefused ? failure : undefined)
        if (!isRefused) {
          again = setTimeout(ask, 2_000)
          return
        }
        session.forget()
        setStage({ name: 'out' })
      })
    }
    ask()
    return () => clearTimeout(again)
  }, [enter, session])
  useEffect(
    () => session.onRefused(() => setStage((before) => (before.name === 'in' ? { ...before, name: 'refused' } : before))),
    [session],
  )

  const leave = (): void => {
    if ('stream' in stage) stage.stream.stop()
    session.forget()
    setStage({ name: 'out' })
  }
  return { stage, problem, enter, leave }
}

export const App = ({ session }: { readonly session: Session }) => {
  const { stage, problem, enter, leave } = useSession(session)
  if (stage.name === 'asking') return <div class="splash">Gatehouse{problem && <ProblemNote problem={problem} />}</div>
  if (stage.name === 'out') return <SignIn problem={problem} enter={enter} />
  return (
    <>
      <Shell api={session.api} stream={stage.stream} leave={leave} />
      {stage.name === 'refused' && <SignInAgain enter={enter} leave={leave} />}
    </>
  )
}
