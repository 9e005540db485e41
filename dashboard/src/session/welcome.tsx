/** What is seen before anybody has signed in: the owner's first step, or the door. */
import { Anchor, Title } from '@mantine/core'
import { useState } from 'react'
import type { DashboardState } from '../api/answers.ts'
import { api } from '../api/client.ts'
import { Logo } from '../parts/icons.tsx'
import { text } from '../text/text.ts'
import { CredentialsForm } from './credentials-form.tsx'
import './welcome.css'

type Door = 'owner' | 'signUp' | 'signIn'

export function Welcome({ state }: { readonly state: DashboardState }) {
  const [turned, setTurned] = useState(false)
  const door: Door = state.needsOwner === turned ? 'signIn' : state.needsOwner ? 'owner' : 'signUp'
  return (
    <main className="welcome">
      <div className="welcome-brand">
        <Logo size={44} />
        <p className="welcome-product">{text.product}</p>
        <p className="welcome-tagline">{text.tagline}</p>
      </div>
      <div className="card welcome-card">
        <Title order={1} size="h3">
          {text.welcome[`${door}Title`]}
        </Title>
        {door === 'owner' && <p className="dimmed">{text.welcome.ownerLead}</p>}
        <CredentialsForm
          key={door}
          action={text.welcome[`${door}Button`]}
          isNew={door !== 'signIn'}
          submit={{ owner: api.createOwner, signUp: api.signUp, signIn: api.signIn }[door]}
        />
        <Below state={state} door={door} turn={() => setTurned(!turned)} />
      </div>
    </main>
  )
}

interface BelowProps {
  readonly state: DashboardState
  readonly door: Door
  readonly turn: () => void
}

/** Accounts may exist before the owner's: the demo's, and those that were made on the command line. */
function Below({ state, door, turn }: BelowProps) {
  const { toSignIn, toSignUp, ownerButton, closed, forgotten } = text.welcome
  return (
    <div className="welcome-below">
      {state.needsOwner || state.signupOpen ? (
        <Anchor component="button" type="button" onClick={turn}>
          {door !== 'signIn' ? toSignIn : state.needsOwner ? ownerButton : toSignUp}
        </Anchor>
      ) : (
        <p>{closed}</p>
      )}
      {door === 'signIn' && (
        <p>
          {forgotten} <code>npx pugmark user password</code>
        </p>
      )}
    </div>
  )
}
