# Completion of the safenpy command for fish. The help texts of the command that is installed are the table of its
# subcommands and options; only the values of some options stand here.

# The values of the last word, which may be a list with commas.
function __safenpy_list
    set -l begun (commandline -ct | string replace -r '^--[a-z]+=' '' | string match -r '.*,'; or echo '')
    printf '%s\n' $begun$argv
end

# What an option takes, as arguments of complete; nothing: files, or no value.
function __safenpy_values
    switch $argv[1]
        case allow
            printf '%s\n' -x -a '(__safenpy_list objects trailing members names)'
        case byteorder
            printf '%s\n' -x -a 'little big native'
        case compat
            printf '%s\n' -x -a '(__safenpy_list all int-fortran-order numpy-bool numpy-int list-shape int-shape list-field metadata native-order type-names bytes-alias platform-float zip-prefix zip-trailing zip-gaps unsigned-descriptor)'
        case format-version dtype-version
            printf '%s\n' -x -a '1.0 2.0 3.0'
        case order
            printf '%s\n' -x -a 'C F'
        case numpy
            printf '%s\n' -x -a '1 2'
        case output format
            printf '%s\n' -x -a 'text csv json raw'
        case profile
            printf '%s\n' -x -a 'standard canonical'
        case protocol
            printf '%s\n' -x -a '2 3 4 5'
    end
end

command -q safenpy; or exit

set -l first 'test (count (commandline -opc)) -eq 1'
complete -c safenpy -n $first -f -l help -d 'what the command is for'
complete -c safenpy -n $first -f -l version -d 'the version'
safenpy --help 2>/dev/null | string match -r '^  [a-z]+  +.*' | while read -l subcommand about
    set -l later "contains -- $subcommand (commandline -opc)[2]"
    complete -c safenpy -n $first -f -a $subcommand -d (string trim -- $about)
    safenpy $subcommand --help | string match -r '^  -.*' | while read -l line
        set -l parts (string split -m 1 '  ' -- (string trim -- $line))
        for name in (string match -ra -- '(?<=-)[a-z0-9](?=,)|(?<=--)[a-z-]+' $parts[1])
            set -l kind l
            test (string length $name) -eq 1; and set kind s
            complete -c safenpy -n $later -$kind $name -d (string trim -- "$parts[2]") (__safenpy_values $name)
        end
    end
end
complete -c safenpy -n 'contains -- explain (commandline -opc)[2]' -f -a "(safenpy explain --list | string replace -r '  +' '\t')"
