/** What is seen before anybody has signed in: the owner's first step, or the door. */
import { Anchor, Title } from '@mantine/core'
import { useState } from 'react'
import type { DashboardState } from '../api/answers.ts'
import { api } from '../api/client.ts'
import { Logo } from '../parts/icons.tsx'
import { text } from '../text/text.ts'
import { CredentialsForm } from './credentials-form.tsx'
import './welcome.css'

export function Welcome({ state }: { readonly state: DashboardState }) {
  const [wantsAccount, setWantsAccount] = useState(false)
  const isNew = state.needsOwner || wantsAccount
  const title = state.needsOwner
    ? text.welcome.ownerTitle
    : wantsAccount
      ? text.welcome.signUpTitle
      : text.welcome.signInTitle
  return (
    <main className="welcome">
      <div className="welcome-brand">
        <Logo size={44} />
        <p className="welcome-product">{text.product}</p>
        <p className="welcome-tagline">{text.tagline}</p>
      </div>
      <div className="card welcome-card">
        <Title order={1} size="h3">
          {title}
        </Title>
        {state.needsOwner && <p className="dimmed">{text.welcome.ownerLead}</p>}
        <CredentialsForm
          key={title}
          action={
            state.needsOwner
              ? text.welcome.ownerButton
              : wantsAccount
                ? text.welcome.signUpButton
                : text.welcome.signInButton
          }
          isNew={isNew}
          submit={state.needsOwner ? api.createOwner : wantsAccount ? api.signUp : api.signIn}
        />
        <Below state={state} wantsAccount={wantsAccount} setWantsAccount={setWantsAccount} />
      </div>
    </main>
  )
}

interface BelowProps {
  readonly state: DashboardState
  readonly wantsAccount: boolean
  readonly setWantsAccount: (wants: boolean) => void
}

function Below({ state, wantsAccount, setWantsAccount }: BelowProps) {
  if (state.needsOwner) return null
  return (
    <div className="welcome-below">
      {state.signupOpen ? (
        <Anchor component="button" type="button" onClick={() => setWantsAccount(!wantsAccount)}>
          {wantsAccount ? text.welcome.toSignIn : text.welcome.toSignUp}
        </Anchor>
      ) : (
        <p>{text.welcome.closed}</p>
      )}
      {!wantsAccount && (
        <p>
          {text.welcome.forgotten} <code>npx footfall user password</code>
        </p>
      )}
    </div>
  )
}
