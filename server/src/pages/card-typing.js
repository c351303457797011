// Runs in the browser: what a card number, an expiry and a code are while they are typed.
