#!/bin/sh
# Makes the secrets that compose.yaml reads, in deploy/secrets or the folder named. Never replaces any: what is in the database
# is sealed with the key, and lost without it. Keep a copy of the folder apart from the database's backups.
set -eu
umask 077
folder=${1:-"$(dirname "$0")/secrets"}
mkdir "$folder"
password=$(openssl rand -hex 24)
printf %s "$password" > "$folder/postgres-password"
cat > "$folder/tillbell.env" <<END
DATABASE_URL=postgres://tillbell:$password@database:5432/tillbell
TILLBELL_SECRET_KEY=$(openssl rand -base64 32)
END
# The image's user reads it where it is mounted, and is seldom whoever runs this. On this machine nobody else gets into the folder.
chmod 644 "$folder/tillbell.env"
echo "Made $folder."
