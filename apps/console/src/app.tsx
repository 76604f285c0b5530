// Decides between signing in and the pages, and keeps the frame around them.
import { useCallback, useEffect, useState } from 'preact/hooks'
import { isServiceError, type ServiceError, toServiceError } from '@gatehouse/contracts'
import { createApi, forgetToken, keepToken, keptToken, type Api, type PageProps } from './api.ts'
import { useLive } from './live/use-live.ts'
import { usePath } from './live/use-path.ts'
import { Approvals } from './pages/approvals.tsx'
import { Audit } from './pages/audit.tsx'
import { Chat } from './pages/chat.tsx'
import { Servers } from './pages/servers.tsx'
import { SignIn } from './pages/sign-in.tsx'
import { Frame } from './parts/frame.tsx'

const pages = { approvals: Approvals, chat: Chat, mcp: Servers, audit: Audit } as const
type Place = keyof typeof pages
const isPlace = (path: string): path is Place => path in pages

export const App = () => {
  const [api, setApi] = useState<Api>()
  const [problem, setProblem] = useState<ServiceError>()

  const enter = useCallback(async (token: string | null, keep: boolean) => {
    try {
      const next = createApi(token)
      await next.status()
      if (keep && token !== null) keepToken(token)
      setProblem(undefined)
      setApi(next)
    } catch (error) {
      if (isServiceError(error) && error.code === 'unauthorized' && token === null) return
      setProblem(toServiceError(error))
    }
  }, [])
  useEffect(() => void enter(keptToken(), false), [enter])

  const leave = (): void => {
    forgetToken()
    setApi(undefined)
  }
  return api === undefined ? <SignIn problem={problem} enter={enter} /> : <Pages api={api} leave={leave} />
}

const Pages = ({ api, leave }: PageProps & { readonly leave: () => void }) => {
  const [path, go] = usePath()
  const place = isPlace(path) ? path : 'approvals'
  const status = useLive(() => api.status(), [api])
  const Page = pages[place]
  useEffect(() => {
    const held = status.data?.held ?? 0
    document.title = held > 0 ? `(${held}) Gatehouse` : 'Gatehouse'
  }, [status.data])
  return (
    <Frame place={place} go={go} status={status.data} problem={status.problem} leave={leave}>
      <Page api={api} />
    </Frame>
  )
}
