# Completion of the safenpy command for bash. The help texts of the command that is installed are the table of its
# subcommands and options; only the values of some options stand here.

_safenpy() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} values=
    local safenpy=${COMP_WORDS[0]} subcommand=${COMP_WORDS[1]}
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        values=$("$safenpy" --help 2>/dev/null | sed -n 's/^\(Usage:\|      \) safenpy \([a-z]*\) .*/\2/p')
        mapfile -t COMPREPLY < <(compgen -W "$values --help --version" -- "$word")
        return
    fi
    if [[ $word == = ]]; then # --option=, which bash has split
        word=
    elif [[ $before == = ]]; then
        before=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    case $before in
    --allow) values='objects trailing members names' ;;
    --byteorder) values='little big native' ;;
    --compat)
        values='all int-fortran-order numpy-bool numpy-int list-shape int-shape list-field metadata native-order type-names
            bytes-alias platform-float zip-prefix zip-trailing zip-gaps unsigned-descriptor'
        ;;
    --format-version | --dtype-version) values='1.0 2.0 3.0' ;;
    --numpy) values='1 2' ;;
    --order) values='C F' ;;
    --output | --format) values='text csv json raw' ;;
    --protocol) values='2 3 4 5' ;;
    --profile) values='standard canonical' ;;
    esac
    if [[ -n $values ]]; then
        local done=
        [[ $before == --compat || $before == --allow ]] && [[ $word == *,* ]] && done=${word%,*},
        mapfile -t COMPREPLY < <(compgen -P "$done" -W "$values" -- "${word##*,}")
    elif [[ $subcommand == explain && $word != -* ]]; then
        values=$("$safenpy" explain --list 2>/dev/null | sed 's/ .*//')
        mapfile -t COMPREPLY < <(compgen -W "$values" -- "$word")
    elif [[ $word == -* ]]; then
        values=$("$safenpy" "$subcommand" --help 2>/dev/null | sed -n '/^  -/s/  [^ -].*//p' | grep -o -e '--*[a-z0-9][a-z-]*')
        mapfile -t COMPREPLY < <(compgen -W "$values" -- "$word")
    else
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
    fi
}

complete -F _safenpy safenpy
